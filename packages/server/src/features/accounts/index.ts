export { type MemberRow, memberships, type PersonRow, people } from '../../storage/relational/tables/accounts.ts'
export { readCookie } from './cookies.ts'
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
export { hashPassword } from './password.ts'
export { addPerson, callerOfPerson, findEmail, getPerson } from './people.ts'
export { presentMe } from './present.ts'
export { accountRoutes } from './routes.ts'
export { endServerAdmin, markServerAdmin, selectServerAdmins } from './server-admins.ts'
export { getServerId, lockServer } from './server-id.ts'
export { wasSetUp } from './set-up.ts'
export { type AccountDeps, checkPassword, type Exchange, openSignIn, type SignInDeps } from './sign-in.ts'
export { SignIns } from './sign-ins.ts'
export { existsPerson, noteSetUp, selectPersonByEmail, updateSignInWorkspace } from './store.ts'
export { hashOfToken, newToken } from './token.ts'
