/** Locks on Redis, through Lettuce. */
// Lettuce has no module descriptor, and declares the name lettuce.core in its manifest. Its types
// are part of our API: RedisURI, RedisClient.
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.holdfast.redis {
  exports io.holdfast.redis;

  provides io.holdfast.spi.LockBackendProvider with
      io.holdfast.redis.RedisBackendProvider;

  requires transitive io.holdfast.core;
  requires transitive lettuce.core;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  // Lettuce needs it, and cannot say so. We do not use it.
  requires io.netty.resolver.dns;
  requires org.slf4j;
  requires reactor.core;
  requires static org.jspecify;
}
