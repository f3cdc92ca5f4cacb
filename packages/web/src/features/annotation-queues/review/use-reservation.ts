import { useEffect, useRef, useState } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { useNow } from '#ui/hooks.tsx'
import { getReservationState, type Reservation, type ReservationState, shouldExtend } from './logic/reservation.ts'
import { setReviewStatus } from './queries.ts'

export type StatusCall = (
  itemId: string,
  status: 'viewed' | 'completed' | null,
  options?: { postpone?: boolean },
) => Promise<void>

/**
 * Sends the reviewer's status of items; calls for the same item run one after the other.
 *
 * @param findPartner  id of the other item of a pair, which has the same status
 */
export function useStatusCalls(findPartner: (itemId: string) => string | undefined): StatusCall {
  const running = useRef(new Map<string, Promise<void>>())
  const find = useRef(findPartner)
  const [send] = useState((): StatusCall => {
    const sendOne: StatusCall = (itemId, ...rest) => {
      const before = running.current.get(itemId) ?? Promise.resolve()
      const call = before.catch(() => undefined).then(() => setReviewStatus(itemId, ...rest))
      running.current.set(itemId, call)
      return call
    }
    return async (itemId, ...rest) => {
      const partner = find.current(itemId)
      await sendOne(itemId, ...rest)
      if (partner !== undefined) await sendOne(partner, ...rest)
    }
  })
  return send
}

interface ReservationOptions {
  /** The open item, unless it is completed or taken by others. */
  itemId: string | undefined
  /** Undefined for queues without reservations; items are then marked as viewed only. */
  minutes: number | undefined
  send: StatusCall
  /** @param isFirst  whether the item was never reserved here */
  onLost: (itemId: string, isFirst: boolean) => void
}

/** Reserves the open item, extends the reservation while the reviewer is active, and frees it when the page is left. */
export function useReservation({ itemId, minutes, send, onLost }: ReservationOptions) {
  const [held, setHeld] = useState<Reservation & { itemId: string }>()
  const reservation = held?.itemId === itemId ? held : undefined
  const now = useNow(1_000)

  async function reserve(id: string) {
    const sentAtMs = Date.now()
    try {
      await send(id, 'viewed')
    } catch (error) {
      if (describeFailure(error).status === 409) latest.current.onLost(id, held?.itemId !== id)
      return
    }
    const lengthMs = (minutes ?? 0) * 60_000
    if (minutes !== undefined) setHeld({ itemId: id, untilMs: sentAtMs + lengthMs, lengthMs })
  }
  const latest = useRef({ reserve, reservation, itemId, onLost })
  useEffect(() => {
    latest.current = { reserve, reservation, itemId, onLost }
  })

  useEffect(() => {
    if (itemId !== undefined) void latest.current.reserve(itemId)
  }, [itemId])

  useEffect(() => {
    const extend = () => {
      const { reservation: current, itemId: id, reserve: again } = latest.current
      if (current && id !== undefined && shouldExtend(current, Date.now())) void again(id)
    }
    const events = ['keydown', 'pointerdown', 'wheel'] as const
    for (const name of events) window.addEventListener(name, extend, { passive: true })
    return () => {
      for (const name of events) window.removeEventListener(name, extend)
      const { itemId: id } = latest.current
      if (id !== undefined) void send(id, null).catch(() => undefined) // it also ends by itself
    }
  }, [send])

  const state: ReservationState | undefined = reservation && getReservationState(reservation, now)
  return { state, reserve: () => itemId !== undefined && void reserve(itemId) }
}
