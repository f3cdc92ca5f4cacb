import { ApiError } from '@touchstone/contract'
import type { Caller } from '../../http/caller.ts'
import type { Attempts } from './attempts.ts'
import { getPerson } from './get-person.ts'
import type { AccountDeps } from './open-sign-in.ts'
import { hashPassword, isPassword } from './password.ts'
import { deleteSignIns, updatePerson } from './store.ts'

/**
 * Changes the caller's own password and ends all their sign-ins but the one they came by.
 *
 * @throws ApiError FORBIDDEN for keys, INVALID_REQUEST when the current password is wrong, RATE_LIMITED
 */
export async function changePassword(
  deps: AccountDeps & { readonly attempts: Attempts },
  caller: Caller,
  address: string,
  { current, next }: { readonly current: string; readonly next: string },
): Promise<void> {
  const person = await getPerson(deps, caller)
  deps.attempts.check(address, person.email)
  if (!(await isPassword(current, person.password_hash))) {
    deps.attempts.noteMistake(address, person.email)
    throw new ApiError('INVALID_REQUEST', undefined, {
      problems: [{ loc: ['body', 'current_password'], msg: 'is not your password', type: 'custom' }],
    })
  }
  const password_hash = await hashPassword(next)
  await deps.relational.transaction(async (tx) => {
    await updatePerson(tx, person.id, { password_hash })
    await deleteSignIns(tx, person.id, caller.signInId)
  })
  deps.signIns.forget()
}
