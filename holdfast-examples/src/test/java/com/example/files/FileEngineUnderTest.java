package com.example.files;

import io.holdfast.LockManager;
import io.holdfast.LockManagerBuilder;
import io.holdfast.spi.Resource;
import io.holdfast.testkit.contract.EngineUnderTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A folder of its own for each test. */
final class FileEngineUnderTest implements EngineUnderTest {
  private final Path folder;
  private final StateFiles files;

  FileEngineUnderTest() {
    try {
      folder = Files.createTempDirectory("file-locks");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    files = new StateFiles(folder);
  }

  @Override
  public LockManagerBuilder newManager() {
    return LockManager.builder("files:" + folder);
  }

  @Override
  public Optional<String> urlForOtherProcesses() {
    return Optional.of("files:" + folder);
  }

  /** It looks twenty times a second. */
  @Override
  public Duration holdersHearWithin() {
    return Duration.ofSeconds(4);
  }

  @Override
  public void removeByHand(String key) {
    files.change(
        Resource.lock(key),
        state -> {
          state.removeHolders();
          return true;
        });
  }

  @Override
  public void forgetEverything() {
    forEachFile(Files::delete);
  }

  @Override
  public Collection<String> leftoversOf(String key) {
    String text =
        files.change(
            Resource.lock(key),
            state -> {
              state.expire(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
              return state.text();
            });
    return text.isEmpty() ? List.of() : List.of(text);
  }

  @Override
  public void close() {
    forEachFile(Files::delete);
    folder.toFile().deleteOnExit();
  }

  private void forEachFile(FileAction action) {
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
      for (Path file : all) {
        action.on(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface FileAction {
    void on(Path file) throws IOException;
  }
}
