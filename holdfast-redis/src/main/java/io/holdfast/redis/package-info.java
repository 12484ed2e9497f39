/**
 * Locks on Redis: {@code redis://} and {@code rediss://} URLs, and {@code RedisDistributedLock}.
 */
@NullMarked
package io.holdfast.redis;

import org.jspecify.annotations.NullMarked;
