import { applyCoupon } from './coupon.js';

/** What the customer pays, in cents. */
export function total(cart) {
  let sum = 0;
  for (const item of cart.items) {
    sum += applyCoupon(item.price, cart.coupon);
  }
  return sum;
}

/** How many things are in the cart. */
export function count(cart) {
  return cart.items.reduce((all, item) => all + item.quantity, 0);
}

/** Adds a thing to the cart, or one more of it. */
export function add(cart, thing) {
  const item = cart.items.find(({ id }) => id === thing.id);
  if (item) item.quantity += 1;
  else cart.items.push({ ...thing, quantity: 1 });
  return cart;
}

/** Takes a thing out of the cart. */
export function remove(cart, id) {
  cart.items = cart.items.filter((item) => item.id !== id);
  return cart;
}
