package io.holdfast.compat;

import io.holdfast.compat.Case.Program;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** The table of cases. {@code docs/compatibility.md} refers to them by name. */
final class Cases {
  private static final String HOLDFAST = OwnArtifacts.VERSION;
  private static final String BOM = "io.holdfast:holdfast-bom:" + HOLDFAST;
  private static final String REDIS = ours("redis");
  private static final String ZOOKEEPER = ours("zookeeper");
  private static final String JDBC = ours("jdbc");
  private static final String MICROMETER = ours("micrometer");
  private static final String TEST_SERVERS = ours("testservers"); // brings the testkit
  private static final String H2 = "com.h2database:h2:" + version("h2");
  private static final String SQLITE = "org.xerial:sqlite-jdbc:" + version("sqlite");
  private static final String CURATOR = version("curator");

  private Cases() {}

  static List<Case> all() {
    List<Case> cases = new ArrayList<>();
    consumers(cases);
    springBoot(cases);
    lettuce(cases);
    curator(cases);
    micrometer(cases);
    return cases;
  }

  /** Each published combination, in every order, with and without the BOM. */
  private static void consumers(List<Case> cases) {
    consumer(cases, "redis", REDIS);
    consumer(cases, "zookeeper", ZOOKEEPER);
    consumer(cases, "jdbc", JDBC, H2, SQLITE);
    consumer(cases, "redis-zookeeper", REDIS, ZOOKEEPER);
    consumer(cases, "zookeeper-redis", ZOOKEEPER, REDIS);
    consumer(cases, "redis-jdbc", REDIS, JDBC, H2, SQLITE);
    consumer(cases, "jdbc-redis", H2, SQLITE, JDBC, REDIS);
    consumer(cases, "zookeeper-jdbc", ZOOKEEPER, JDBC, H2, SQLITE);
    consumer(cases, "jdbc-zookeeper", H2, SQLITE, JDBC, ZOOKEEPER);
    consumer(cases, "redis-jdbc-zookeeper", REDIS, JDBC, H2, SQLITE, ZOOKEEPER);
    consumer(cases, "zookeeper-redis-jdbc", ZOOKEEPER, REDIS, JDBC, H2, SQLITE);
    consumer(cases, "zookeeper-jdbc-redis", ZOOKEEPER, JDBC, H2, SQLITE, REDIS);
    consumer(cases, "jdbc-redis-zookeeper", JDBC, H2, SQLITE, REDIS, ZOOKEEPER);
    consumer(cases, "all", REDIS, ZOOKEEPER, JDBC, MICROMETER, H2, SQLITE);
    consumer(cases, "all-reversed", SQLITE, H2, MICROMETER, JDBC, ZOOKEEPER, REDIS);
    cases.add(cases.get(cases.size() - 1).onNewerJdk("all-jdk25"));
    // What an application has already decides which Netty there is.
    String recipes = "org.apache.curator:curator-recipes:" + CURATOR;
    cases.add(
        Case.of(
            "own-curator",
            Program.CURATOR_OF_ITS_OWN,
            Project.of(ZOOKEEPER, recipes),
            current(ZOOKEEPER).with("curator-recipes", CURATOR)));
    String grpc = "io.grpc:grpc-netty:1.72.0";
    cases.add(
        Case.of(
            "zookeeper-netty-4.1.110",
            Program.CONSUMER,
            Project.of(ZOOKEEPER, grpc),
            current(ZOOKEEPER).netty("4.1.110.Final")));
    tls(cases, "zookeeper-tls", "4.1.130.Final");
    tls(cases, "redis-zookeeper-tls", "4.2.13.Final", REDIS);
    String lettuce = "io.lettuce:lettuce-core:6.6.0.RELEASE";
    cases.add(
        Case.of(
            "redis-zookeeper-lettuce-6.6.0",
            Program.CONSUMER,
            Project.of(ZOOKEEPER, REDIS, lettuce),
            current(ZOOKEEPER)
                .with("lettuce-core", "6.6.0.RELEASE")
                .netty("4.1.118.Final")
                .io("netty")));
  }

  private static void consumer(List<Case> cases, String name, String... dependencies) {
    Expected expected = current(dependencies);
    cases.add(Case.of(name, Program.CONSUMER, Project.of(dependencies), expected));
    List<String> managed = new ArrayList<>();
    for (String dependency : dependencies) {
      managed.add(dependency.startsWith("io.holdfast:") ? withoutVersion(dependency) : dependency);
    }
    Project project = Project.of(managed.toArray(String[]::new)).importing(BOM);
    cases.add(Case.of(name + "-bom", Program.CONSUMER, project, expected));
  }

  /** What a project gets that has these dependencies and manages no version. */
  private static Expected current(String... dependencies) {
    List<String> names = List.of(dependencies);
    Expected expected = Expected.NOTHING;
    if (names.contains(ZOOKEEPER)) {
      expected =
          expected
              .with("curator-client", CURATOR)
              .with("zookeeper", version("zookeeper"))
              .netty("4.1.130.Final");
    }
    if (names.contains(REDIS)) {
      expected =
          expected.with("lettuce-core", version("lettuce")).netty("4.2.13.Final").io("caller");
    }
    if (names.contains(MICROMETER)) {
      expected = expected.with("micrometer-core", version("micrometer"));
    }
    if (names.contains(JDBC)) {
      expected = expected.with("h2", version("h2")).with("sqlite-jdbc", version("sqlite"));
    }
    return expected;
  }

  /** What docs/zookeeper.md says: TLS needs one more artifact, in the version of the other ones. */
  private static void tls(List<Case> cases, String name, String netty, String... more) {
    List<String> dependencies = new ArrayList<>(List.of(more));
    dependencies.add(ZOOKEEPER);
    dependencies.add("io.netty:netty-transport-classes-epoll:" + netty);
    dependencies.add("org.apache.curator:curator-test:" + CURATOR);
    dependencies.add(TEST_SERVERS);
    Project project = Project.of(dependencies.toArray(String[]::new));
    Expected expected = current(dependencies.toArray(String[]::new)).netty(netty);
    cases.add(Case.of(name, Program.ZOOKEEPER_TLS, project, expected));
  }

  /** Applications that add holdfast-redis and override no version of the platform. */
  private static void springBoot(List<Case> cases) {
    springBoot(cases, "3.5.16", redis("6.6.0", "4.1.135").io("netty"));
    springBoot(cases, "4.0.8", redis("6.8.2", "4.2.17"));
    springBoot(cases, "4.1.1", redis("7.5.2", "4.2.17"));
  }

  private static void springBoot(List<Case> cases, String boot, Expected libraries) {
    Expected expected = libraries.with("spring-boot", boot);
    Project starter = Project.of("org.springframework.boot:spring-boot-starter", REDIS);
    Project data = Project.of("org.springframework.boot:spring-boot-starter-data-redis", REDIS);
    cases.add(
        Case.of(
            "boot-" + boot,
            Program.SPRING_APPLICATION,
            starter.importing("org.springframework.boot:spring-boot-dependencies:" + boot),
            expected));
    cases.add(
        Case.of(
            "boot-" + boot + "-data-redis",
            Program.SPRING_APPLICATION,
            data.withParent("org.springframework.boot:spring-boot-starter-parent:" + boot),
            expected));
  }

  private static void lettuce(List<Case> cases) {
    lettuce(cases, Program.REDIS_CONTRACT, "6.6.0", "4.1.135", "netty");
    lettuce(cases, Program.REDIS_CONTRACT, "6.8.2", "4.2.17", "caller");
    // The version of Lettuce says nothing about the version of Netty.
    lettuce(cases, Program.CONSUMER, "6.6.0", "4.2.17", "caller");
    lettuce(cases, Program.WITHOUT_CALLER_LOOP, "6.8.2", "4.1.135", "netty");
    Project redis = contract(REDIS);
    cases.add(
        Case.of(
            "lettuce-7.5.2",
            Program.REDIS_CONTRACT,
            redis.managing("io.lettuce:lettuce-core:7.5.2.RELEASE"),
            redis("7.5.2", "4.2.13")));
    Case current = Case.of("lettuce-current", Program.REDIS_CONTRACT, redis, current(REDIS));
    cases.add(current);
    cases.add(current.onNewerJdk("lettuce-current-jdk25"));
  }

  private static void lettuce(
      List<Case> cases, Program program, String lettuce, String netty, String io) {
    Project redis = program == Program.REDIS_CONTRACT ? contract(REDIS) : Project.of(REDIS);
    cases.add(
        Case.of(
            "lettuce-" + lettuce + "-netty-" + netty,
            program,
            redis
                .managing("io.lettuce:lettuce-core:" + lettuce + ".RELEASE")
                .importing("io.netty:netty-bom:" + netty + ".Final"),
            redis(lettuce, netty).io(io)));
  }

  private static Expected redis(String lettuce, String netty) {
    return Expected.NOTHING
        .with("lettuce-core", lettuce + ".RELEASE")
        .netty(netty + ".Final")
        .io("caller");
  }

  private static void curator(List<Case> cases) {
    for (String version : List.of("5.7.1", CURATOR)) {
      cases.add(
          Case.of(
              version.equals(CURATOR) ? "curator-current" : "curator-" + version,
              Program.ZOOKEEPER_CONTRACT,
              contract(ZOOKEEPER, "org.apache.curator:curator-test:" + version)
                  .managing("org.apache.curator:curator-client:" + version),
              current(ZOOKEEPER).with("curator-client", version)));
    }
    cases.add(cases.get(cases.size() - 1).onNewerJdk("curator-current-jdk25"));
  }

  private static void micrometer(List<Case> cases) {
    for (String version : List.of("1.14.0", version("micrometer"))) {
      cases.add(
          Case.of(
              version.equals(version("micrometer"))
                  ? "micrometer-current"
                  : "micrometer-" + version,
              Program.METERED,
              Project.of(MICROMETER).managing("io.micrometer:micrometer-core:" + version),
              Expected.NOTHING.with("micrometer-core", version)));
    }
  }

  /** A project whose tests subclass the contracts of the testkit, on our servers. */
  private static Project contract(String... dependencies) {
    List<String> all = new ArrayList<>();
    Collections.addAll(all, dependencies);
    all.add(TEST_SERVERS);
    all.add("org.junit.platform:junit-platform-launcher:" + version("junit"));
    return Project.of(all.toArray(String[]::new));
  }

  private static String ours(String module) {
    return "io.holdfast:holdfast-" + module + ":" + HOLDFAST;
  }

  private static String withoutVersion(String artifact) {
    return artifact.substring(0, artifact.lastIndexOf(':'));
  }

  private static String version(String name) {
    return Objects.requireNonNull(System.getProperty("version." + name), name);
  }
}
