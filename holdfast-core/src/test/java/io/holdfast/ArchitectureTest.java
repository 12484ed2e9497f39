package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import io.holdfast.archfixtures.internal.AnotherSynchronizer;
import io.holdfast.archfixtures.internal.Mechanics;
import io.holdfast.archfixtures.internal.ReadsTheWallClock;
import io.holdfast.archfixtures.internal.UsesALibrary;
import io.holdfast.archfixtures.internal.UsesATimer;
import io.holdfast.archfixtures.internal.attic.RoomThatNobodyPlanned;
import io.holdfast.archfixtures.internal.base.BaseThatKnowsLeases;
import io.holdfast.archfixtures.internal.engine.EngineThatKnowsTheWatchdog;
import io.holdfast.archfixtures.internal.lease.LeaseThatKnowsTheRegistry;
import io.holdfast.archfixtures.internal.local.gate.GateThatKnowsTheEngine;
import io.holdfast.archfixtures.internal.local.mutex.MutexThatKnowsItsSibling;
import io.holdfast.archfixtures.internal.local.shared.SharedThatKnowsItsSibling;
import io.holdfast.archfixtures.internal.watchdog.WatchdogThatKnowsAMutex;
import io.holdfast.archfixtures.memory.EngineThatUsesInternals;
import io.holdfast.archfixtures.memory.EngineThatUsesThePublicApi;
import io.holdfast.archfixtures.metrics.MetricsThatKnowInternals;
import io.holdfast.archfixtures.outside.ShowsInternals;
import io.holdfast.archfixtures.outside.UsesInternals;
import io.holdfast.archfixtures.spi.KnowsInternals;
import io.holdfast.archfixtures.spi.SpiThatKnowsTheToolkit;
import io.holdfast.archfixtures.spi.state.ToolkitThatKnowsTheApi;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules hold for core, and each of them is broken by a class that was written to break it. */
class ArchitectureTest {
  private static final String CORE = "io.holdfast";
  private static final String FIXTURES = "io.holdfast.archfixtures";

  private static final JavaClasses CORE_CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(CORE);

  /**
   * Each rule as a function of the root package, with a class below the fixtures that breaks it.
   */
  static Stream<Arguments> rules() {
    return Stream.of(
        rule(ArchitectureRules::onlyTheGateIsASynchronizer, AnotherSynchronizer.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, BaseThatKnowsLeases.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, LeaseThatKnowsTheRegistry.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, EngineThatKnowsTheWatchdog.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, WatchdogThatKnowsAMutex.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, MutexThatKnowsItsSibling.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, GateThatKnowsTheEngine.class),
        rule(ArchitectureRules::theRoomsLookDownOnly, RoomThatNobodyPlanned.class),
        rule(
            ArchitectureRules::packagesFormNoCycles,
            MutexThatKnowsItsSibling.class,
            SharedThatKnowsItsSibling.class),
        rule(ArchitectureRules::theSpiKnowsNothingElseOfOurs, KnowsInternals.class),
        rule(ArchitectureRules::theSpiKnowsNothingElseOfOurs, SpiThatKnowsTheToolkit.class),
        rule(ArchitectureRules::theStateToolkitSeesOnlyTheSpi, ToolkitThatKnowsTheApi.class),
        rule(ArchitectureRules::theMetricsSeeOnlyTheApi, MetricsThatKnowInternals.class),
        rule(ArchitectureTest::theMemoryEngineSeesOnlyTheSpi, EngineThatUsesInternals.class),
        rule(ArchitectureTest::theMemoryEngineSeesOnlyTheSpi, EngineThatUsesThePublicApi.class),
        rule(ArchitectureRules::internalsAreUsedByThePublicApiOnly, UsesInternals.class),
        rule(ArchitectureRules::theApiShowsNoInternals, ShowsInternals.Returns.class),
        rule(ArchitectureRules::theApiShowsNoInternals, ShowsInternals.Takes.class),
        rule(ArchitectureRules::coreNeedsNothingButJavaAndALogger, UsesALibrary.class),
        rule(ArchitectureRules::onlySystemTimeReadsTheWallClock, ReadsTheWallClock.Millis.class),
        rule(ArchitectureRules::onlySystemTimeReadsTheWallClock, ReadsTheWallClock.Now.class),
        rule(
            ArchitectureRules::onlySystemTimeReadsTheWallClock,
            ReadsTheWallClock.OfTheSystem.class),
        rule(root -> ArchitectureRules.nobodyUsesAJavaUtilTimer(), UsesATimer.class));
  }

  /** Some rules are broken by a class together with others. */
  private static Arguments rule(
      Function<String, ArchRule> rule, Class<?> breaksIt, Class<?>... together) {
    return Arguments.of(breaksIt.getSimpleName(), rule, breaksIt, List.of(together));
  }

  private static ArchRule theMemoryEngineSeesOnlyTheSpi(String root) {
    return ArchitectureRules.anEngineSeesOnlyTheSpi(root, root + ".memory..");
  }

  @Test
  void coreIsLookedAt() {
    assertThat(CORE_CLASSES.contain(LockManager.class)).isTrue();
    assertThat(CORE_CLASSES.contain(ArchitectureTest.class)).isFalse();
    assertThat(CORE_CLASSES.contain(Mechanics.class)).isFalse();
  }

  @ParameterizedTest(name = "no class like {0}")
  @MethodSource("rules")
  void coreKeepsTheRule(String name, Function<String, ArchRule> rule, Class<?> breaksIt) {
    rule.apply(CORE).check(CORE_CLASSES);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rules")
  void theRuleFires(
      String name, Function<String, ArchRule> rule, Class<?> breaksIt, List<Class<?>> together) {
    List<Class<?>> classes = new ArrayList<>(together);
    classes.add(breaksIt);
    classes.add(Mechanics.class);
    JavaClasses fixture = new ClassFileImporter().importClasses(classes);

    EvaluationResult result = rule.apply(FIXTURES).evaluate(fixture);

    assertThat(result.hasViolation()).isTrue();
    assertThat(result.getFailureReport().getDetails())
        .isNotEmpty()
        .allMatch(detail -> detail.contains(breaksIt.getName()));
  }

  @Test
  void theRulesDoNotFireWhereTheyAreKept() {
    JavaClasses harmless = new ClassFileImporter().importClasses(Mechanics.class);

    assertThat(
            Stream.of(
                    ArchitectureRules.internalsAreUsedByThePublicApiOnly(FIXTURES),
                    ArchitectureRules.theRoomsLookDownOnly(FIXTURES),
                    ArchitectureRules.packagesFormNoCycles(FIXTURES),
                    ArchitectureRules.coreNeedsNothingButJavaAndALogger(FIXTURES),
                    ArchitectureRules.onlySystemTimeReadsTheWallClock(FIXTURES),
                    ArchitectureRules.nobodyUsesAJavaUtilTimer())
                .map(rule -> rule.evaluate(harmless).hasViolation()))
        .containsOnly(false);
  }
}
