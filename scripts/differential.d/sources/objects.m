// Objective-C without any framework: methods, a category, blocks. Never run.
__attribute__((objc_root_class)) @interface Thing { int count; }
+ (Thing *)make;
- (int)add:(int)a to:(int)b;
@end
@interface Thing (More)
- (int)twice:(int)value;
@end

extern int outside_block(int (^)(int));

static int helper(int value) { return outside_block(^(int more) { return more * value; }); }

@implementation Thing
+ (Thing *)make { return 0; }
- (int)add:(int)a to:(int)b { count += a; return helper(a) + b; }
@end

@implementation Thing (More)
- (int)twice:(int)value {
  int (^nested)(int) = ^(int first) { return outside_block(^(int second) { return first + second + value; }); };
  return nested(value) + [self add:value to:2];
}
@end
