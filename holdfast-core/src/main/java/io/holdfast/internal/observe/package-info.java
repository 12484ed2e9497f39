/**
 * Where everything that happens to a lock is reported, and from where it goes to metrics, the audit
 * log, the flight recorder and listeners.
 */
@NullMarked
package io.holdfast.internal.observe;

import org.jspecify.annotations.NullMarked;
