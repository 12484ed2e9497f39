package com.example.app;

import io.holdfast.DistributedLock;
import io.holdfast.LockManager;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** An application that adds holdfast-redis and nothing else. */
@SpringBootApplication
public class Application {
  public static void main(String[] args) {
    SpringApplication.run(Application.class, args).close();
  }

  @Bean
  LockManager lockManager(ApplicationArguments arguments) {
    return LockManager.create(arguments.getNonOptionArgs().get(0));
  }

  @Bean
  CommandLineRunner work(LockManager manager) {
    return args -> {
      String key = "spring-" + UUID.randomUUID();
      DistributedLock lock = manager.getLock(key);
      if (!lock.tryLock(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the lock is not free");
      }
      try (LockManager other = LockManager.create(args[0])) {
        if (other.getLock(key).tryLock()) {
          throw new IllegalStateException("granted to two");
        }
      } finally {
        lock.unlock();
      }
      System.out.println("locked");
    };
  }
}
