package io.holdfast.bench.store;

import io.holdfast.bench.weight.ClassPath;
import java.nio.file.Path;

/**
 * What servers need to start.
 *
 * @param classPath for those that run in a JVM of their own
 * @param directory for their files; removed at the end
 */
public record StoreEnvironment(ClassPath classPath, Path directory) {}
