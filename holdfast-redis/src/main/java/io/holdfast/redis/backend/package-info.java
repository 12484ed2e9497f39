/**
 * The Redis engine behind the SPI: {@code RedisBackend} turns requests into script calls and
 * messages into signals, and {@code LettuceClient} is the only class that talks to Redis. The
 * scripts are resources of this package; fragments that they share are in the folder {@code
 * shared}.
 */
@NullMarked
package io.holdfast.redis.backend;

import org.jspecify.annotations.NullMarked;
