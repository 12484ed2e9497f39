/**
 * {@code holdfast demo}: worker processes sell the same stock, first without a lock and then with
 * one. {@link io.holdfast.cli.demo.Demo} is the course of events, {@link
 * io.holdfast.cli.demo.Seller} the few lines it is all about.
 */
@NullMarked
package io.holdfast.cli.demo;

import org.jspecify.annotations.NullMarked;
