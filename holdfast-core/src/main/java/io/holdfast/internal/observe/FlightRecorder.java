package io.holdfast.internal.observe;

/**
 * Says whether anybody records our events with Java Flight Recorder at the moment. Asking is a read
 * of two or three fields. {@link FlightEvents} is not loaded before somebody records: the first
 * event makes the JDK set up its recorder, which would hold up the first lock of a process. It is
 * never loaded in a run time image without the module {@code jdk.jfr}, which is no reason to fail.
 */
final class FlightRecorder {
  private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private FlightRecorder() {}

  /** False as long as nobody has recorded anything in this JVM. */
  private static boolean isUsed() {
    return PRESENT && jdk.jfr.FlightRecorder.isInitialized();
  }

  static boolean wantsWaits() {
    return isUsed() && FlightEvents.WAIT.isEnabled();
  }

  static boolean wantsLatchWaits() {
    return isUsed() && FlightEvents.LATCH_WAIT.isEnabled();
  }

  static boolean wantsHolds() {
    return isUsed() && FlightEvents.HOLD.isEnabled();
  }

  static boolean wantsLosses() {
    return isUsed() && FlightEvents.LOST.isEnabled();
  }

  static boolean wantsRecoveries() {
    return isUsed() && FlightEvents.RECOVERY.isEnabled();
  }
}
