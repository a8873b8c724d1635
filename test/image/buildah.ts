/** Images and containers below one folder. Containers see the network and the processes of this machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Of an image: what Docker reads to start it. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Volumes: Readonly<Record<string, object>>;
  /** `Test` is CMD, and then the command. */
  readonly Healthcheck: { readonly Test: readonly string[] };
}

export class Buildah {
  readonly #options: readonly string[];

  constructor(directory: string) {
    // The driver and the isolation that also work within a container or a virtual machine without cgroups.
    const [images, state] = [join(directory, 'images'), join(directory, 'state')];
    this.#options = [`--root=${images}`, `--runroot=${state}`, '--storage-driver=vfs'];
  }

  /** The command line that runs a command in a container. */
  command(container: string, given: readonly string[], options: readonly string[] = []): readonly string[] {
    return [...this.#options, 'run', '--isolation=chroot', ...options, container, '--', ...given];
  }

  /** Runs a subcommand and returns what it prints. */
  call(name: string, ...args: readonly string[]): string {
    return execFileSync('buildah', [...this.#options, name, ...args], { encoding: 'utf8' }).trim();
  }

  /** Builds an image, with its output on this terminal. */
  build(...args: readonly string[]): void {
    execFileSync('buildah', [...this.#options, 'bud', '--isolation=chroot', ...args], { stdio: 'inherit' });
  }

  has(image: string): boolean {
    return spawnSync('buildah', [...this.#options, 'inspect', '--type=image', image]).status === 0;
  }

  config(image: string): ImageConfig {
    return JSON.parse(this.call('inspect', '--type=image', image)).Docker.config;
  }

  /** Makes an image from another, changed by `fill`, which gets the folder with the files of the image. */
  make(base: string, name: string, fill: (root: string) => void, config: readonly string[] = []): void {
    const container = this.call('from', '--pull-never', base);
    fill(this.call('mount', container));
    if (config.length > 0) this.call('config', ...config, container);
    this.call('commit', '--quiet', '--rm', container, name);
  }
}
