/**
 * Distributed locks: the API for applications, the SPI for engines and the in-memory engine. The
 * mechanics in {@code io.holdfast.internal} are visible to nobody.
 */
module io.holdfast.core {
  exports io.holdfast;
  exports io.holdfast.memory;
  exports io.holdfast.metrics;
  exports io.holdfast.spi;
  exports io.holdfast.spi.state;

  uses io.holdfast.spi.LockBackendProvider;

  provides io.holdfast.spi.LockBackendProvider with
      io.holdfast.memory.MemoryBackendProvider;

  requires java.management;
  requires org.slf4j;
  // Events are recorded where the run time has Flight Recorder; locks work without it.
  requires static jdk.jfr;
  // Annotations for the compiler. Not transitive: an application would not compile without them.
  requires static org.jspecify;
}
