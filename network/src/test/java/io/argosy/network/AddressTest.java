package io.argosy.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses and ranges as text and as values. */
class AddressTest {
    @ParameterizedTest
    @CsvSource({
        "10.96.0.1, 10.96.0.1",
        "255.255.255.255, 255.255.255.255",
        "fd00:0:0:0:0:0:0:1, fd00::1",
        "::, ::",
        "::1, ::1",
        "2001:db8:0:1:0:0:0:1, 2001:db8:0:1::1",
        "2001:DB8::1:0:0:1, 2001:db8::1:0:0:1",
        "1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7",
        "fe80::, fe80::"
    })
    void anAddressIsWrittenInItsShortestForm(String text, String expected) {
        Ip ip = Ip.parse(text);
        assertThat(ip).hasToString(expected);
        assertThat(Ip.parse(expected)).isEqualTo(ip);
        assertThat(Ip.of(ip.toInetAddress())).isEqualTo(ip);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "None", "localhost", "10.96.0", "10.96.0.256", "fd00::g"})
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> Ip.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "10.244.0.0/16, 10.244.255.255, true",
        "10.244.0.0/16, 10.245.0.0, false",
        "0.0.0.0/0, 203.0.113.1, true",
        "0.0.0.0/0, fd00::1, false",
        "10.0.0.1/32, 10.0.0.1, true",
        "10.0.0.1/32, 10.0.0.0, false",
        "fd00:10::/32, fd00:10:ffff::1, true",
        "fd00:10::/80, fd00:10::1:0:0:1, false",
        "::/0, fd00::1, true"
    })
    void aRangeKnowsWhatItHolds(String cidr, String ip, boolean inside) {
        assertThat(Cidr.parse(cidr).contains(Ip.parse(ip))).isEqualTo(inside);
    }

    @Test
    void aRangeIsWrittenFromItsBeginning() {
        assertThat(Cidr.parse("10.244.3.7/16")).hasToString("10.244.0.0/16");
        assertThatThrownBy(() -> Cidr.parse("10.0.0.0/33")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Cidr.parse("10.0.0.0/x")).isInstanceOf(IllegalArgumentException.class);
    }
}
