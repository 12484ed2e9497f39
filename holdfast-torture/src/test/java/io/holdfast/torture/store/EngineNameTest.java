package io.holdfast.torture.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class EngineNameTest {
  @Test
  void theRunBeforeALandingNamesEveryEngineOnce() throws IOException {
    String run = Files.readString(Path.of("..", ".ci", "torture"));
    List<String> named =
        Pattern.compile("--engines ([a-z0-9,-]+)")
            .matcher(run)
            .results()
            .flatMap(lists -> List.of(lists.group(1).split(",", -1)).stream())
            .toList();
    assertThat(named).containsExactlyInAnyOrderElementsOf(EngineName.labels());
  }
}
