package io.holdfast.internal;

import java.util.regex.Pattern;

/** URLs of stores as they may be shown: without what looks like a password. */
public final class SafeUrl {
  /** A parameter, as in {@code ?password=x}, {@code &sslPassword=x} and {@code ;pwd=x}. */
  private static final Pattern SECRET =
      Pattern.compile("(?i)([?&;][^=&;]*(?:pass|pwd|secret|token|credential)[^=&;]*=)[^&;]*");

  private static final String AFTER_SCHEME = "://";

  private SafeUrl() {}

  /**
   * The URL without passwords. Of what stands before the last {@code @} only a user name that ends
   * with a colon is shown: in doubt too much is left out.
   */
  public static String of(String url) {
    int at = url.lastIndexOf('@');
    return at < 0 ? withoutSecrets(url) : withoutUserInfo(url, at);
  }

  private static String withoutUserInfo(String url, int at) {
    int authority = url.indexOf(AFTER_SCHEME);
    int start =
        authority >= 0 && authority < at
            ? authority + AFTER_SCHEME.length()
            : url.indexOf(':') + 1; // as in jdbc:oracle:thin:user/password@host
    int colon = url.indexOf(':', start);
    String user = authority >= 0 && colon >= 0 && colon < at ? url.substring(start, colon + 1) : "";
    return url.substring(0, Math.min(start, at)) + user + "***" + withoutSecrets(url.substring(at));
  }

  private static String withoutSecrets(String text) {
    return SECRET.matcher(text).replaceAll("$1***");
  }
}
