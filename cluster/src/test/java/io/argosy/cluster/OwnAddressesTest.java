package io.argosy.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.cluster.OwnAddresses.Card;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OwnAddressesTest {
    @Test
    void theWayToTheWorldComesFirstThenTheOldestAndBridgesLast() {
        Card bridge = new Card("net-dev", 90, false, true);
        Card main = new Card("br0", 7, true, true);
        Card second = new Card("eth1", 3, false, false);
        Card third = new Card("eth2", 4, false, false);
        assertThat(Stream.of(bridge, third, main, second).sorted(OwnAddresses.BEST_FIRST))
                .containsExactly(main, second, third, bridge);
    }

    @Test
    void defaultRoutesAreReadAsTheKernelListsThem() {
        assertThat(OwnAddresses.routed(List.of(
                        "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT",
                        "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0",
                        "eth1\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0")))
                .containsExactly("eth0");
    }
}
