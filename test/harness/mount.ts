/** Whether a test can mount. macOS cannot; most containers, and systems without user namespaces, refuse it. */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

export const IS_ROOT = process.getuid?.() === 0;
/** Options of `unshare` for a namespace with its own mounts, in which the user is root. */
export const NAMESPACE = [...(IS_ROOT ? [] : ['--user', '--map-root-user']), '--mount'];
export const CAN_MOUNT = spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
/** The reason to skip a test that needs a mount. */
export const NO_MOUNT = !CAN_MOUNT && 'no file system can be mounted here';
