package io.argosy.api.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IpTextTest {
    @ParameterizedTest
    @CsvSource({
        "10.96.0.1, 10.96.0.1",
        "255.0.255.0, 255.0.255.0",
        "0:0:0:0:0:0:0:0, ::",
        "0:0:0:0:0:0:0:1, ::1",
        "fd00:0:0:0:0:0:0:0, fd00::",
        "fd00:0:0:1:0:0:0:1, fd00:0:0:1::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0DB8:0:0:0:0:00AB:1, 2001:db8::ab:1",
    })
    void isTheShortestForm(String literal, String expected) {
        assertThat(IpText.of(InetAddress.ofLiteral(literal).getAddress())).isEqualTo(expected);
    }
}
