export { type MemberRow, memberships, type PersonRow, people } from '../../storage/relational/tables/accounts.ts'
export { addPerson } from './add-person.ts'
export { callerOfPerson } from './caller-of-person.ts'
export { readCookie } from './cookie.ts'
export { findEmail, getPerson } from './get-person.ts'
export {
  countAdmins,
  insertMembership,
  lockPerson,
  removeAccountWithoutWorkspace,
  selectMember,
  selectMembers,
  selectMemberships,
  updateMembership,
} from './memberships.ts'
export { type AccountDeps, type Exchange, openSignIn } from './open-sign-in.ts'
export { hashPassword } from './password.ts'
export { presentMe } from './present.ts'
export { accountRoutes } from './routes.ts'
export { endServerAdmin, markServerAdmin, selectServerAdmins } from './server-admins.ts'
export { getServerId, lockServer } from './server-id.ts'
export { noteSetUp, wasSetUp } from './setup-fact.ts'
export { checkPassword, type SignInDeps } from './sign-in.ts'
export { SignIns } from './sign-ins.ts'
export { existsPerson, selectPersonByEmail, updateSignInWorkspace } from './store.ts'
export { hashOfToken, newToken } from './token.ts'
