package io.argosy.network.proxy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs the {@code nft} program with the script on its standard input. */
final class NftProgram implements Nft {
    private static final int ERROR_LIMIT = 2_000;

    private final List<String> command;

    NftProgram(List<String> command) {
        this.command = new ArrayList<>(command);
        this.command.addAll(List.of("-f", "-"));
    }

    @Override
    public void apply(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            IOException broken = null;
            try (OutputStream in = process.getOutputStream()) {
                in.write(script.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                broken = e;
            }
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0 || broken != null) {
                String reason = said.length() > ERROR_LIMIT ? said.substring(0, ERROR_LIMIT) + "..." : said;
                throw new IOException("nft refused the rules (status " + status + "): " + reason.strip(), broken);
            }
        } finally {
            process.destroyForcibly();
        }
    }
}
