package io.holdfast.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.nothing.WithoutContracts;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ContractMatrixTest {

  @Test
  void everyContractIsRunOnTheMemoryEngine() {
    assertThat(ContractMatrix.missingIn(MemoryLockContractTest.class)).isEmpty();
  }

  @Test
  void anEngineWithoutAnyContractLacksThemAll() {
    assertThat(ContractMatrix.missingIn(WithoutContracts.class)).isEqualTo(ContractMatrix.all());
  }

  @Test
  void aContractWithAnExcludedTagIsMissing() {
    assertThat(ContractMatrix.missingIn(MemoryLockContractTest.class, Set.of("full"))).isEmpty();
    assertThat(ContractMatrix.missingIn(MemoryLockContractTest.class, Set.of("contract")))
        .isEqualTo(ContractMatrix.all());
  }

  @Test
  void noContractOfTheKitIsForgottenInTheMatrix() throws Exception {
    List<Class<?>> contracts = new ArrayList<>();
    for (Class<?> each : classesOfTheKit()) {
      if (EngineContract.class.isAssignableFrom(each)
          && each != EngineContract.class
          && each != LogLinesContract.class // needs a certain logger: see there
          && Modifier.isPublic(each.getModifiers())) {
        contracts.add(each);
      }
    }
    assertThat(contracts).containsExactlyInAnyOrderElementsOf(ContractMatrix.all());
  }

  private static List<Class<?>> classesOfTheKit()
      throws IOException, URISyntaxException, ClassNotFoundException {
    Path root =
        Path.of(EngineContract.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> classes = new ArrayList<>();
    try (Stream<Path> files = Files.list(root.resolve("io/holdfast/testkit/contract"))) {
      for (Path file : files.toList()) {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith("Contract.class")) {
          classes.add(
              Class.forName(
                  "io.holdfast.testkit.contract." + name.substring(0, name.length() - 6)));
        }
      }
    }
    return classes;
  }
}
