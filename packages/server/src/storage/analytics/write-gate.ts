/** Lets writes through at once, until somebody needs the store to stand still for a moment. */
export interface WriteGate {
  /** Waits while the gate is closed, then runs the write. */
  write<Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves while the gate is open. */
  opened(): Promise<void>
  /** Waits for the writes that are running, runs `work` while others wait, and opens again, also after a failure. */
  close<Result>(work: () => Promise<Result>): Promise<Result>
}

export function createWriteGate(): WriteGate {
  const running = new Set<Promise<unknown>>()
  let closed: Promise<void> | undefined

  async function opened(): Promise<void> {
    while (closed !== undefined) await closed
  }
  return {
    opened,
    async write(work) {
      await opened()
      const write = work()
      running.add(write)
      try {
        return await write
      } finally {
        running.delete(write)
      }
    },
    async close(work) {
      await opened()
      let open = () => {}
      closed = new Promise((resolve) => {
        open = () => {
          closed = undefined
          resolve()
        }
      })
      try {
        await Promise.allSettled(running)
        return await work()
      } finally {
        open()
      }
    },
  }
}
