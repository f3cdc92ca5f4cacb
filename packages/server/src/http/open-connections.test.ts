import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { OpenConnections } from './open-connections.ts'

function open(maxOpen: number) {
  let fullTimes = 0
  const connections = new OpenConnections(maxOpen, () => void fullTimes++)
  const add = () => {
    const socket = new Socket()
    connections.add(socket)
    return socket
  }
  return { connections, add, countFull: () => fullTimes }
}

describe('open connections over the limit', () => {
  it('close the oldest without a request first, then the one that is idle for longest, and never one in use', () => {
    const { connections, add, countFull } = open(3)
    const [idle, used, unused] = [add(), add(), add()]
    connections.begin(idle)
    connections.begin(used)
    connections.end(idle)
    expect(countFull()).toBe(0)

    const second = add()
    expect([unused, idle, used, second].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
    connections.begin(second)
    const third = add()
    expect([idle, used, second, third].map(({ destroyed }) => destroyed)).toEqual([true, false, false, false])
    connections.begin(third)
    const refused = add()
    expect([used, second, third, refused].map(({ destroyed }) => destroyed)).toEqual([false, false, false, true])
    expect(countFull()).toBe(1)
  })

  it('keep one in use until the last of its requests has ended', () => {
    const { connections, add } = open(1)
    const socket = add()
    connections.begin(socket)
    connections.begin(socket)
    connections.end(socket)
    expect(add().destroyed).toBe(true)
    expect(socket.destroyed).toBe(false)
    connections.end(socket)
    expect(add().destroyed).toBe(false)
    expect(socket.destroyed).toBe(true)
  })
})
