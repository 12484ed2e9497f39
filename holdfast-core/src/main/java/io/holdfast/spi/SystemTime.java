package io.holdfast.spi;

import java.time.Instant;

/** The clocks of this machine. */
enum SystemTime implements TimeSource {
  INSTANCE;

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return Instant.now();
  }
}
