package io.holdfast.testkit.recorded;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something of every kind, for the test of what is recorded. */
public abstract class Offered<T extends Number> implements AutoCloseable {
  public static final int LIMIT = 7;

  private int hidden;

  protected Offered(int hidden) {
    this.hidden = hidden;
  }

  protected abstract T make();

  public @Nullable String find(@Nullable String name, List<? super T> among, int... numbers)
      throws IOException {
    if (numbers.length > hidden) {
      throw new IOException("too many");
    }
    return name;
  }

  public static <X extends Exception> void run(X problem, boolean happens) throws X {
    if (happens) {
      throw problem;
    }
  }

  @Override
  public void close() {
    hidden = 0;
  }

  void packagePrivate() {
    hidden++;
  }

  /** Visible. */
  public enum Kind {
    ONE
  }

  /** Visible. */
  public sealed interface Named permits Hidden {
    String name();

    default int length() {
      return name().length();
    }
  }

  /** Not visible. */
  record Hidden(String name) implements Named {}
}
