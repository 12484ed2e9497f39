package io.holdfast.archfixtures.outside;

import io.holdfast.archfixtures.internal.Mechanics;

/** Methods for applications, which cannot name the type. */
public final class ShowsInternals {
  private ShowsInternals() {}

  /** As a result. */
  public static final class Returns {
    public Mechanics mechanics() {
      return new Mechanics();
    }
  }

  /** As a parameter. */
  public static final class Takes {
    public void take(Mechanics mechanics) {}
  }
}
