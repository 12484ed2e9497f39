package io.holdfast.redis;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import io.holdfast.redis.backend.ArchitectureViolations;
import io.holdfast.redis.loop.LoopViolations;
import java.time.Clock;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The dependencies that this module may have. A class that breaks a rule shows that the rule fires.
 */
class RedisArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.holdfast.redis");

  static final ArchRule THE_BACKEND_SEES_ONLY_THE_SPI =
      classes()
          .that()
          .resideInAPackage("io.holdfast.redis.backend..")
          .and(areNot("ScriptArgs", "FlushConsolidation")) // parts of a channel of Netty
          .and(areNot("ClientRuntime")) // ends the threads of Netty
          .and(areNot("ConnectFaults")) // gets a password the way Lettuce gives it
          .and(areNot("RecordedEvents")) // Lettuce wants a stream of Reactor
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.holdfast.redis.backend..",
              "io.holdfast.redis.loop..",
              "io.holdfast.spi..",
              "io.lettuce..",
              "org.slf4j..",
              "org.jspecify..",
              "java..",
              "javax.net.ssl..");

  static final ArchRule ONLY_THE_CLIENT_TALKS_TO_REDIS =
      noClasses()
          .that(areNot("LettuceClient", "Connector", "LeanRedisClient", "MessageConnection"))
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.lettuce.core.api..", "io.lettuce.core.pubsub..");

  static final ArchRule FEW_KNOW_LETTUCE =
      noClasses()
          .that(
              areNot(
                  "LettuceClient",
                  "Connector",
                  "LeanRedisClient",
                  "MessageConnection",
                  "ClientRuntime",
                  "IoDriver",
                  "NettyIo",
                  "CallerIo",
                  "CallerIoSupport",
                  "RecordedEvents",
                  "IdentityCommand",
                  "ScriptCall",
                  "LeadingPing",
                  "ScriptArgs",
                  "CallTimeouts",
                  "FlushConsolidation",
                  "RedisFaults",
                  "ConnectFaults",
                  "ReconnectFaults",
                  "RedisUrl",
                  "RedisBackend",
                  "RedisBackendProvider",
                  "CallerLoopProvider"))
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.lettuce..");

  static final ArchRule THE_LOOP_KNOWS_NO_LOCKS =
      noClasses()
          .that()
          .resideInAPackage("io.holdfast.redis.loop..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.holdfast.redis.backend..", "io.holdfast.spi..", "io.holdfast");

  static final ArchRule NOBODY_REACHES_INTO_CORE =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("io.holdfast.internal..", "io.holdfast.memory.."));

  static final ArchRule NOBODY_READS_A_WALL_CLOCK =
      noClasses()
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethodWhere(
              target(owner(resideInAnyPackage("java.time.."))).and(target(nameMatching("now"))))
          .orShould()
          .callMethodWhere(target(owner(JavaClass.Predicates.equivalentTo(Clock.class))))
          .orShould()
          .callConstructor(Date.class);

  static List<ArchRule> rules() {
    return List.of(
        THE_BACKEND_SEES_ONLY_THE_SPI,
        ONLY_THE_CLIENT_TALKS_TO_REDIS,
        FEW_KNOW_LETTUCE,
        THE_LOOP_KNOWS_NO_LOCKS,
        NOBODY_REACHES_INTO_CORE,
        NOBODY_READS_A_WALL_CLOCK);
  }

  static Stream<Arguments> violations() {
    return Stream.of(
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesTheApi.class),
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesTheShell.class),
        Arguments.of(THE_BACKEND_SEES_ONLY_THE_SPI, ArchitectureViolations.SeesNetty.class),
        Arguments.of(ONLY_THE_CLIENT_TALKS_TO_REDIS, ArchitectureViolations.SendsCommands.class),
        Arguments.of(ONLY_THE_CLIENT_TALKS_TO_REDIS, ArchitectureViolations.HearsMessages.class),
        Arguments.of(FEW_KNOW_LETTUCE, ArchitectureViolations.KnowsLettuce.class),
        Arguments.of(THE_LOOP_KNOWS_NO_LOCKS, LoopViolations.KnowsLocks.class),
        Arguments.of(NOBODY_REACHES_INTO_CORE, ArchitectureViolations.ReachesIntoCore.class),
        Arguments.of(NOBODY_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsMillis.class),
        Arguments.of(NOBODY_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsAnInstant.class),
        Arguments.of(NOBODY_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsAClock.class),
        Arguments.of(NOBODY_READS_A_WALL_CLOCK, ArchitectureViolations.ReadsADate.class));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void theModuleObeysTheRule(ArchRule rule) {
    rule.check(MODULE);
  }

  @ParameterizedTest
  @MethodSource("violations")
  void theRuleFiresWhenItIsBroken(ArchRule rule, Class<?> violation) {
    EvaluationResult result = rule.evaluate(new ClassFileImporter().importClasses(violation));
    assertThat(result.getFailureReport().toString()).contains(violation.getSimpleName());
  }

  /** The class itself and the classes inside it. */
  private static DescribedPredicate<JavaClass> areNot(String... names) {
    DescribedPredicate<JavaClass> listed = DescribedPredicate.alwaysFalse();
    for (String name : names) {
      listed = listed.or(simpleName(name)).or(nameMatching(".*\\." + name + "\\$.*").forSubtype());
    }
    return DescribedPredicate.not(listed).as("are not " + String.join(", ", names));
  }
}
