package io.holdfast.internal;

/**
 * Says whether anybody records our events with Java Flight Recorder at the moment. Asking is a read
 * of two fields. A run time image without the module {@code jdk.jfr} is no reason to fail: then
 * {@link FlightEvents}, which needs it, is never loaded.
 */
final class FlightRecorder {
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightRecorder() {}

  static boolean wantsWaits() {
    return PRESENT && FlightEvents.WAIT.isEnabled();
  }

  static boolean wantsLatchWaits() {
    return PRESENT && FlightEvents.LATCH_WAIT.isEnabled();
  }

  static boolean wantsHolds() {
    return PRESENT && FlightEvents.HOLD.isEnabled();
  }

  static boolean wantsLosses() {
    return PRESENT && FlightEvents.LOST.isEnabled();
  }

  static boolean wantsRecoveries() {
    return PRESENT && FlightEvents.RECOVERY.isEnabled();
  }
}
