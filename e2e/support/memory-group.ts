import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'

export interface MemoryGroup {
  /** The command before that of a program which shall be in the group. */
  readonly under: readonly string[]
  /** Processes that the kernel has killed for want of memory. */
  countKills(): number
  remove(): void
}

const MiB = 1024 * 1024

/** A memory cgroup of our own, v1 or v2, without swap; undefined where this machine lets us make none. */
export function makeMemoryGroup(bytes: number): MemoryGroup | undefined {
  const name = `touchstone-test-${process.pid}-${bytes / MiB}`
  const isV1 = existsSync('/sys/fs/cgroup/memory/memory.limit_in_bytes')
  const folder = isV1 ? `/sys/fs/cgroup/memory/${name}` : `/sys/fs/cgroup/${name}`
  try {
    mkdirSync(folder)
    writeFileSync(`${folder}/${isV1 ? 'memory.limit_in_bytes' : 'memory.max'}`, String(bytes))
    if (!isV1) writeFileSync(`${folder}/memory.swap.max`, '0')
  } catch {
    if (existsSync(folder)) rmdirSync(folder)
    return undefined
  }
  return {
    under: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    countKills() {
      const events = readFileSync(`${folder}/${isV1 ? 'memory.oom_control' : 'memory.events'}`, 'utf8')
      return Number(/^oom_kill (\d+)$/m.exec(events)?.[1])
    },
    remove: () => rmdirSync(folder),
  }
}
