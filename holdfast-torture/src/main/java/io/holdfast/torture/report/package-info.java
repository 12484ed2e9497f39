/** What the result is for people: progress, the table of the page on reliability. */
@NullMarked
package io.holdfast.torture.report;

import org.jspecify.annotations.NullMarked;
