package io.argosy.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDR;
import io.fabric8.kubernetes.api.model.networking.v1.ServiceCIDRBuilder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which ranges the machine has routes for, and refuses what nobody serves. */
class ServiceRangesTest {
    private final FakeInformers informers = new FakeInformers();
    private final ServiceRanges ranges = new ServiceRanges(
            informers,
            List.of(Cidr.parse("10.96.0.0/16")),
            List.of(Cidr.parse("10.244.0.0/24")),
            List.of(Ip.parse("192.168.0.5")));

    static Stream<Arguments> added() {
        return Stream.of(
                Arguments.of("the first one's own object", List.of("10.96.0.0/16"), List.of("10.96.0.0/16")),
                Arguments.of(
                        "two more",
                        List.of("10.98.0.0/24", "10.97.0.0/24"),
                        List.of("10.96.0.0/16", "10.97.0.0/24", "10.98.0.0/24")),
                Arguments.of("one within the first", List.of("10.96.7.0/24"), List.of("10.96.0.0/16")),
                Arguments.of("one around the first", List.of("10.96.0.0/15"), List.of("10.96.0.0/15")),
                Arguments.of("one with the pods' addresses", List.of("10.0.0.0/8"), List.of("10.96.0.0/16")),
                Arguments.of("one with the machine's", List.of("192.168.0.0/24"), List.of("10.96.0.0/16")),
                Arguments.of(
                        "one that is none beside another",
                        List.of("10.97.0/24", "10.98.0.0/24"),
                        List.of("10.96.0.0/16", "10.98.0.0/24")),
                Arguments.of("the whole world", List.of("0.0.0.0/0"), List.of("10.96.0.0/16")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("added")
    void whatIsAddedCountsUnlessItWouldCutSomethingOff(String name, List<String> added, List<String> all) {
        added.forEach(cidr -> informers.of(ServiceCIDR.class).put(object(cidr)));
        assertThat(ranges.now()).map(Cidr::toString).isEqualTo(all);
    }

    @Test
    void itIsToldWhenThereAreMore() {
        AtomicInteger told = new AtomicInteger();
        ranges.onChange(told::incrementAndGet);
        informers.of(ServiceCIDR.class).put(object("10.97.0.0/24"));
        assertThat(told).hasValue(1);
    }

    private static ServiceCIDR object(String cidr) {
        return new ServiceCIDRBuilder()
                .withNewMetadata()
                .withName(cidr.replace('/', '-'))
                .endMetadata()
                .withNewSpec()
                .withCidrs(cidr)
                .endSpec()
                .build();
    }
}
