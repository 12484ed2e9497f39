package io.holdfast.micrometer;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Waits long enough for a busy machine. */
public final class PatientAwaits implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
  }
}
