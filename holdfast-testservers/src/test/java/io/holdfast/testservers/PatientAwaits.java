package io.holdfast.testservers;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Gives what comes sooner or later the time that it takes on a starved machine. */
public final class PatientAwaits implements BeforeAllCallback {
  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(Duration.ofMinutes(2));
  }
}
