package io.holdfast.torture.store;

import io.holdfast.torture.nemesis.JumpingClock;
import java.util.Optional;

/** One server process of a store. */
public interface TortureServer {
  /** SIGKILL. */
  void kill();

  /** Starts it again, with its data, and waits until it answers. */
  void start();

  /** SIGSTOP. */
  void pause();

  /** SIGCONT. */
  void resume();

  /** Its wall clock, if that can be set. */
  default Optional<JumpingClock> clock() {
    return Optional.empty();
  }
}
