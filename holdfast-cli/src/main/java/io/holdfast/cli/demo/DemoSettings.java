package io.holdfast.cli.demo;

import org.jspecify.annotations.Nullable;

/**
 * What the demo was asked to do.
 *
 * @param url the Redis server to use, or null for an embedded one
 * @param workers how many processes sell
 * @param threads how many threads sell in each process
 * @param stock how many items there are to sell
 * @param key where the stock is kept
 */
record DemoSettings(@Nullable String url, int workers, int threads, int stock, String key) {}
