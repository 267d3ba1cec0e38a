package io.argosy.network.proxy;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Runs the {@code nft} program with the script on its standard input. */
final class NftProgram implements Nft {
    private static final int ERROR_LIMIT = 2_000;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final Program program;

    NftProgram(List<String> command) {
        this.program = new Program(command, LIMIT);
    }

    @Override
    public void apply(String script) throws IOException, InterruptedException {
        run(script, List.of("-f", "-"));
    }

    @Override
    public void check(String script) throws IOException, InterruptedException {
        run(script, List.of("-c", "-f", "-"));
    }

    private void run(String script, List<String> words) throws IOException, InterruptedException {
        Program.Result result = program.run(script, words);
        if (result.status() != 0) {
            String said = result.said();
            String reason = said.length() > ERROR_LIMIT ? said.substring(0, ERROR_LIMIT) + "..." : said;
            throw new NftRefusal("nft refused the rules (status " + result.status() + "): " + reason.strip());
        }
    }
}
