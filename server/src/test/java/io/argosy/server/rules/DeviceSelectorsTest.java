package io.argosy.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What expressions over devices are estimated to cost, which is what decides whether they are too complex. */
class DeviceSelectorsTest {
    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '~', textBlock = """
        true;0
        device.attributes["no-such-domain"].noSuchAttr.isGreaterThan(quantity("0"));6
        device.attributes["no-such-domain"]["noSuchAttr"].isGreaterThan(quantity("0"));6
        "no-such-domain" in device.attributes;3
        device.driver == "";2
        device.driver == "dra.example.com";4
        device.attributes["dra.example.com"].name;4
        device.attributes["dra.example.com"]["name"];4
        device.attributes["dra.example.com"].name > 0;5
        device.attributes["dra.example.com"].name == "fish";5
        device.attributes["dra.example.com"].name.isGreaterThan(semver("0.0.1"));6
        device.attributes["dra.example.com"].name.isGreaterThan(semver("v0.0.1", true)) && isSemver("v1.0.0", true);7
        device.capacity["dra.example.com"].name.isGreaterThan(quantity("1Ki"));6
        !("name" in device.capacity["dra.example.com"]) || device.capacity["dra.example.com"].name.isGreaterThan(quantity("1Ki"));11
        device.attributes["d.example"].a && device.attributes["d.example"].b && device.attributes["d.example"].c;12
        device.attributes.exists_one(x, x == "dra.example.com");164
        device.attributes["dra.example.com"].exists_one(x, x == "services");133
        device.attributes["dra.example.com"].services.split("example").size() >= 2;19
        device.attributes["dra.example.com"].services.matches("[^a]?sym");18
        device.capacity.exists_one(x, x == "dra.example.com");164
        device.capacity["dra.example.com"].exists_one(x, x == "memory");133
        """)
    void expressionsCostWhatDevicesCanBeLike(String expression, double cost) throws Exception {
        assertThat(DeviceSelectors.cost(DeviceSelectors.compile(expression))).isEqualTo(cost);
    }
}
