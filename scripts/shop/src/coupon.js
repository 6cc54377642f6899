/** The price after a coupon, in cents. */
export function applyCoupon(cents, coupon, now = new Date()) {
  if (!coupon || coupon.ends < now) return cents;
  return Math.round(cents * (1 - coupon.percent / 100));
}
