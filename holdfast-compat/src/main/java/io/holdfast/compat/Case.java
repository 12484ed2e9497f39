package io.holdfast.compat;

/** A project, the program that runs in its class path, what it must be, and the JDK it runs on. */
record Case(String name, Project project, Program program, Expected expected, boolean onNewerJdk) {
  /** What is run. */
  enum Program {
    /** Locks on Redis, ZooKeeper, H2 or SQLite, wherever the project has the engine. */
    CONSUMER("io.holdfast.compat.program.Consumer"),
    /** The same with meters. */
    METERED("io.holdfast.compat.program.MeteredConsumer"),
    /** Locks on Redis where the caller loop cannot be used, and sees it refused. */
    WITHOUT_CALLER_LOOP("io.holdfast.compat.program.WithoutCallerLoop"),
    /** The contract of the lock and a few faults. */
    REDIS_CONTRACT("io.holdfast.compat.program.RedisContract"),
    ZOOKEEPER_CONTRACT("io.holdfast.compat.program.ZooKeeperContract"),
    /** The same on ZooKeeper, where the application opens a session of its own, too. */
    CURATOR_OF_ITS_OWN("io.holdfast.compat.program.OwnCurator"),
    /** ZooKeeper with TLS, which needs Netty on both sides. */
    ZOOKEEPER_TLS("io.holdfast.compat.program.ZooKeeperTls"),
    /** A Spring Boot application, compiled against the platform of the case. */
    SPRING_APPLICATION("com.example.app.Application");

    final String mainClass;

    Program(String mainClass) {
      this.mainClass = mainClass;
    }
  }

  static Case of(String name, Program program, Project project, Expected expected) {
    return new Case(name, project, program, expected, false);
  }

  Case onNewerJdk(String newName) {
    return new Case(newName, project, program, expected, true);
  }
}
