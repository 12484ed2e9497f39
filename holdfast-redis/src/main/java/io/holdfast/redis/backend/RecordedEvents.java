package io.holdfast.redis.backend;

import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.jfr.EventRecorder;
import java.util.function.Consumer;
import reactor.core.publisher.Flux;

/**
 * Takes Lettuce's events to the flight recorder, as Lettuce's own bus does, and to one listener:
 * there is no way to subscribe to a client that is ours. Its own bus would load the better part of
 * a reactive library for that.
 */
final class RecordedEvents implements EventBus {
  private final Consumer<Event> listener;

  RecordedEvents(Consumer<Event> listener) {
    this.listener = listener;
  }

  @Override
  public Flux<Event> get() {
    return Flux.never();
  }

  @Override
  public void publish(Event event) {
    listener.accept(event);
    EventRecorder.getInstance().record(event);
  }
}
