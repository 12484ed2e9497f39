package io.holdfast.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.recorded.Offered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedApiTest {
  private static final String NAME = "io.holdfast.testkit.recorded.Offered";

  private final RecordedApi api = RecordedApi.of(Offered.class, "io.holdfast.testkit.recorded");

  @TempDir private Path folder;

  @Test
  void namesEverythingThatUsersCanSeeAndNothingElse() {
    assertThat(api.lines())
        .containsExactly(
            "public abstract class " + NAME + "<T extends Number>" + " implements AutoCloseable",
            "  protected Offered(int)",
            "  protected abstract T make()",
            "  public @Nullable String find(@Nullable String,"
                + " List<? super T>, int...) throws IOException",
            "  public static <X extends Exception> void run(X, boolean) throws X",
            "  public static final int LIMIT = 7",
            "  public void close()",
            "public enum " + NAME + ".Kind",
            "  public static Offered.Kind valueOf(String)",
            "  public static Offered.Kind[] values()",
            "  public static final Offered.Kind ONE",
            "public sealed interface " + NAME + ".Named",
            "  public String name()",
            "  public default int length()");
  }

  @Test
  void whatIsAsRecordedPasses() throws IOException {
    Path file = folder.resolve("api.txt");
    Files.write(file, api.lines());

    api.compareWith(file);
  }

  @Test
  void whatWasAddedOrIsGoneFailsAndSaysHowToAcceptIt() throws IOException {
    Path file = folder.resolve("api.txt");
    List<String> recorded = new ArrayList<>(api.lines());
    recorded.remove("  public void close()");
    recorded.add("public class Gone");
    Files.write(file, recorded);

    assertThatThrownBy(() -> api.compareWith(file))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("- public class Gone\n")
        .hasMessageContaining("+ public abstract class " + NAME)
        .hasMessageContaining("  public void close()\n")
        .hasMessageContaining("-Dholdfast.api=record");
    assertThatThrownBy(() -> api.compareWith(folder.resolve("none.txt")))
        .isInstanceOf(AssertionError.class);
  }
}
