/** Whether a test may mount: macOS cannot, nor may root in most containers, nor others where namespaces are refused. */
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';

export const IS_ROOT = process.getuid?.() === 0;
/** Of `unshare`: a namespace whose root, which others than root become within it, has mounts of its own. */
export const NAMESPACE = [...(IS_ROOT ? [] : ['--user', '--map-root-user']), '--mount'];
export const CAN_MOUNT = spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;
/** Why a test that needs a mount is skipped. */
export const NO_MOUNT = !CAN_MOUNT && 'no file system can be mounted here';
