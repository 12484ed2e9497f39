/**
 * What the local parts of all primitives share: a request that is under way, the handle it ends
 * with, and what becomes of a hold that is lost.
 */
@NullMarked
package io.holdfast.internal.local.request;

import org.jspecify.annotations.NullMarked;
