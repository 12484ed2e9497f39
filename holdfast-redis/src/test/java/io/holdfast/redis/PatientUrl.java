package io.holdfast.redis;

/**
 * URLs for tests whose processes may have to wait for a processor: a connection or a command that
 * takes seconds because the machine is busy is no fault there.
 */
public final class PatientUrl {
  private PatientUrl() {}

  /** The same URL with a time-out that a starved process does not reach. */
  public static String patient(String url) {
    return url + (url.contains("?") ? "&" : "?") + "timeout=60s";
  }
}
