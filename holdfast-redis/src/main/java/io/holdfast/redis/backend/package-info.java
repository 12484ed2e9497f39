/**
 * The Redis engine behind the SPI: {@code RedisBackend} turns requests into script calls and
 * messages into signals, {@code LettuceClient} is the only class that talks to Redis, the scripts
 * stand beside this file as resources.
 */
@NullMarked
package io.holdfast.redis.backend;

import org.jspecify.annotations.NullMarked;
