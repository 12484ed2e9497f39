package com.example.app;

import io.holdfast.LockManager;
import io.holdfast.compat.program.Consumer;
import io.holdfast.compat.program.RunningThreads;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application that adds holdfast-redis and nothing else. The check of the locks comes along. */
@SpringBootApplication
public class Application {
  public static void main(String[] args) throws Exception {
    RunningThreads before = RunningThreads.now();
    SpringApplication.run(Application.class, args).close();
    before.awaitEndOfOthers();
  }

  @Bean
  LockManager lockManager(ApplicationArguments arguments) {
    return LockManager.create(arguments.getNonOptionArgs().get(0));
  }

  @Bean
  CommandLineRunner work(LockManager manager) {
    return args -> {
      try (LockManager other = LockManager.create(args[0])) {
        Consumer.lockWith(manager, other);
      }
      System.out.println("locked");
    };
  }
}
