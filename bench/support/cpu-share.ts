import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Short, so that a process that has used up its share waits for milliseconds. */
const PERIOD_US = 20_000

/**
 * Limits a process and its threads to a share of one core by a control group, as a container is limited. Linux only, and only
 * where control groups can be written: as root in general.
 *
 * @param share  of one core, above 0
 * @returns the function that removes the group, once the process has ended; undefined when the limit cannot be set
 */
export function limitCpu(pid: number, share: number): (() => void) | undefined {
  const parent = findParent()
  if (parent === undefined) return undefined
  const group = join(parent.folder, `touchstone-bench-${pid}`)
  const remove = () => {
    try {
      rmdirSync(group)
    } catch {} // a process is still ending in it; an empty group does no harm
  }
  try {
    mkdirSync(group)
    for (const [file, value] of parent.limits(Math.round(share * PERIOD_US))) writeFileSync(join(group, file), value)
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
    return remove
  } catch {
    remove()
    return undefined
  }
}

interface Parent {
  readonly folder: string
  /** Files of a group and their values, for microseconds of CPU in each period. */
  readonly limits: (quotaUs: number) => readonly (readonly [string, string])[]
}

/** The folder of groups with limits of CPU: of version 2 of control groups, or of version 1. */
function findParent(): Parent | undefined {
  const root = '/sys/fs/cgroup'
  const controllers = join(root, 'cgroup.subtree_control')
  if (existsSync(controllers) && /\bcpu\b/.test(readFileSync(controllers, 'utf8'))) {
    return { folder: root, limits: (quotaUs) => [['cpu.max', `${quotaUs} ${PERIOD_US}`]] }
  }
  const folder = join(root, 'cpu')
  if (!existsSync(join(folder, 'cpu.cfs_quota_us'))) return undefined
  const limits = (quotaUs: number) =>
    [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', String(quotaUs)],
    ] as const
  return { folder, limits }
}
