/** Several exclusive locks as one. */
@NullMarked
package io.holdfast.internal.local.multi;

import org.jspecify.annotations.NullMarked;
