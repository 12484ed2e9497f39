package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** One question tells the exceptions of Holdfast from all others. */
class LockFailureTest {
  private static final List<Class<?>> EXCEPTIONS =
      new ClassFileImporter()
              .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
              .importPackages("io.holdfast")
              .stream()
              .filter(each -> each.getPackageName().equals("io.holdfast"))
              .filter(each -> each.isAssignableTo(Throwable.class))
              .<Class<?>>map(JavaClass::reflect)
              .toList();

  @Test
  void everyExceptionIsOne() {
    assertThat(EXCEPTIONS)
        .hasSizeGreaterThan(7)
        .allSatisfy(each -> assertThat(each).isAssignableTo(LockFailure.class));
  }

  @Test
  void allButTheOneThatALockPrescribesAreLockExceptions() {
    assertThat(EXCEPTIONS)
        .filteredOn(each -> !LockException.class.isAssignableFrom(each))
        .as("Lock.unlock() throws an IllegalMonitorStateException: %s", Lock.class)
        .containsExactly(LockLostException.class);
    assertThat(LockLostException.class).isAssignableTo(IllegalMonitorStateException.class);
  }

  /** An application that catches these means mistakes of its own. */
  @Test
  void noneIsCaughtByAHandlerForSomethingElse() {
    for (Class<?> mistake : List.of(IllegalStateException.class, IllegalArgumentException.class)) {
      assertThat(EXCEPTIONS).noneMatch(mistake::isAssignableFrom);
    }
  }

  @Test
  void eachSaysWhatItIsAbout() {
    LockLoss loss =
        new LockLoss(
            "semaphore", "s", 7, LossReason.NOT_RENEWED, Instant.EPOCH, Duration.ofSeconds(1));

    assertThat(new LockLostException(loss))
        .returns("semaphore", LockFailure::kind)
        .returns("s", LockFailure::key)
        .returns(loss, LockLostException::loss);
    assertThat(new LockManagerClosedException("latch", "l"))
        .returns("latch", LockFailure::kind)
        .returns("l", LockFailure::key);
    assertThat(new StaleTokenException("stock", 1, 2)).returns("stock", LockFailure::key);
    assertThat(new StoreUnavailableException("down", null))
        .as("the store as a whole")
        .returns("", LockFailure::kind)
        .returns("", LockFailure::key);
  }
}
